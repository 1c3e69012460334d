import { compile } from "@inlang/paraglide-js";
import { options } from "./options.js";

await compile(options);
