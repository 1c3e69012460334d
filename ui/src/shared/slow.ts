/** Something that is done within this time needs no sign that it is being done. */
const QUIET = 100;

/** Calls `show` unless it is over before anybody would notice; what it returns says that it is over. */
export function whenSlow(show: () => void): () => void {
  const timer = setTimeout(show, QUIET);
  return () => clearTimeout(timer);
}
