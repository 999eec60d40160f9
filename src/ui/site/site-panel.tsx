export default function SitePanel() {
  return <h2>Site</h2>;
}
