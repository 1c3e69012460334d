import { BarController, BarElement, CategoryScale, Chart, LinearScale, Tooltip } from "chart.js";
import { number } from "../../shared/text/numbers";

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip);

export type Series = { name: string; values: number[]; colour: string };

type Drawing = {
  days: string[];
  series: Series[];
  ink: string;
  line: string;
  font: string;
  /** Lines run from right to left, and so do days. */
  isTurned: boolean;
};

/** Draws stacked bars; gives what takes them off again. */
export function draw(
  canvas: HTMLCanvasElement,
  { days, series, ink, line, font, isTurned }: Drawing,
): () => void {
  const ticks = { color: ink, font: { family: font, size: 11 } };
  const chart = new Chart(canvas, {
    type: "bar",
    data: {
      labels: days,
      datasets: series.map(({ name, values, colour }) => ({
        label: name,
        data: values,
        backgroundColor: colour,
        hoverBackgroundColor: colour,
        borderRadius: 2,
        maxBarThickness: 26,
      })),
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      interaction: { mode: "index", intersect: false },
      plugins: {
        tooltip: { rtl: isTurned, filter: ({ parsed }) => (parsed.y ?? 0) > 0, titleFont: { family: font } },
      },
      scales: {
        x: {
          stacked: true,
          reverse: isTurned,
          grid: { display: false },
          border: { color: line },
          ticks: { ...ticks, maxRotation: 0, autoSkipPadding: 14 },
        },
        y: {
          stacked: true,
          position: isTurned ? "right" : "left",
          beginAtZero: true,
          border: { display: false },
          grid: { color: line },
          ticks: { ...ticks, precision: 0, maxTicksLimit: 6, callback: (value) => number(Number(value)) },
        },
      },
    },
  });
  return () => chart.destroy();
}
