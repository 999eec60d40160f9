export * from "unpdf/pdfjs";
