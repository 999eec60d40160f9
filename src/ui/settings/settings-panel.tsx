export default function SettingsPanel() {
  return <h2>Settings</h2>;
}
