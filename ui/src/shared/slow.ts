/** Something that is done within this time needs no sign that it is being done. */
const QUIET = 100;

/** Shows that something goes on, unless it is over before anybody would notice; what it returns says that it is over. */
export function whenSlow(show: (isSlow: boolean) => void): () => void {
  const timer = setTimeout(() => show(true), QUIET);
  return () => {
    clearTimeout(timer);
    show(false);
  };
}
