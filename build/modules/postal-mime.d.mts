export * from "../on-demand/postal-mime.ts";
