export function Inbox({ openDrawer }: { openDrawer: () => void }) {
  return <button onClick={openDrawer}>Inbox</button>;
}
