// The content of index.html is painted first; reading the rest would keep it waiting.
import "./app.css";

const begin = () => void import("./main");

if (document.hidden) begin();
else requestAnimationFrame(() => setTimeout(begin));
