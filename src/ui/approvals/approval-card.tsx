import type { ApprovalView } from "../../wire/approval.ts";
export function ApprovalCard({ approval }: { approval: ApprovalView; session: string }) {
  return <p className="card">{approval.title}</p>;
}
