import { lazy, Suspense } from "react";
import { useChatState, useCommands } from "../session/live.tsx";

const Markdown = lazy(() => import("../parts/markdown.tsx"));

export function ChatView() {
  const { messages } = useChatState();
  const { send } = useCommands();
  return (
    <>
      <div className="messages">
        {messages.map((message) => (
          <article key={message.id} data-role={message.role}>
            {message.parts.map((part, index) =>
              part.type === "text" ? (
                <Suspense key={index} fallback={part.text}>
                  <Markdown text={part.text} />
                </Suspense>
              ) : (
                <p key={index}>{part.type}</p>
              ),
            )}
          </article>
        ))}
      </div>
      <form
        action={(form) => {
          const text = form.get("text");
          if (typeof text === "string") void send(text);
        }}
      >
        <textarea id="composer" name="text" aria-label="Message" />
        <button className="button">Send</button>
      </form>
    </>
  );
}
