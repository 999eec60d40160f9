import type { Question } from "../chat/turn.ts";
export function QuestionCard({ question }: { question: Question }) {
  return <p className="card">{question.question}</p>;
}
