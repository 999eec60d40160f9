import "./no-eval.ts";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { applyTheme, storedTheme } from "./preferences/theme.ts";
import "./base.css";

applyTheme(storedTheme());

const place = document.getElementById("page");
if (place === null) throw new Error("index.html has no #page");
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
