import { Component, type ReactNode } from "react";

/**
 * Contains a fault: the surroundings stay. Lazily loaded parts disappear after a deployment; reloading the page loads
 * the new ones.
 */
export class Boundary extends Component<{ children: ReactNode }, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <div className="card row" role="alert">
        <span>This part of the page could not be shown. There may be a new version.</span>
        <button className="button" onClick={() => location.reload()}>
          Reload the page
        </button>
      </div>
    );
  }
}
