// The content of index.html is painted first; reading the rest would keep it waiting.
import "./app.css";

const begin = () => {
  void import("./main");
  // It is there when the page asks for it.
  if ("__TAURI_INTERNALS__" in window) void import("./backend/tauri");
};

if (document.hidden) begin();
else requestAnimationFrame(() => setTimeout(begin));
