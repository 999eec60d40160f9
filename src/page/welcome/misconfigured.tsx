import type { Health } from "../who.tsx";

/** The required settings that are missing, by the names of the variables. */
export function Misconfigured({ health }: { health: Health }) {
  return (
    <main className="alone">
      <section className="card stack">
        <h1>Not configured correctly</h1>
        <p>Cairn cannot work until this is fixed:</p>
        <ul>
          {health.problems.map(({ variable, message }) => (
            <li key={variable}>
              <code>{variable}</code>: {message}
            </li>
          ))}
        </ul>
      </section>
    </main>
  );
}
