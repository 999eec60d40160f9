import { readTree } from "./source-tree.ts";
import { tableOf } from "./rooms.ts";

/** `npm run house`: prints the table of rooms that stands in CONTRIBUTING.md. */
console.log(tableOf(["src", "scripts", "build"].flatMap(readTree)));
