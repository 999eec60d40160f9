export { addressParser, decodeWords, default } from "postal-mime";
