export { default } from "postal-mime";
