export default function MemoryPanel() {
  return <h2>Memory</h2>;
}
