export * from "../beside/postal-mime.ts";
