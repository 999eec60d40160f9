import { Component, type ReactNode } from "react";

/**
 * Keeps a fault where it is: what is around it stays. Parts that are loaded late are gone after a new version was deployed;
 * loading the page again brings them.
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
