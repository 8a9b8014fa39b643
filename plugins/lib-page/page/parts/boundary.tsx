/** Keeps what fails while it is drawn from taking the rest of the page with it. */
import { Component } from 'preact';
import { Failed } from './states.js';
import type { ComponentChildren } from 'preact';

interface BoundaryProps {
  /** What is drawn: with another one, such as the next address, it is drawn afresh. */
  readonly of: string;
  /** Around the message. */
  readonly frame?: (message: ComponentChildren) => ComponentChildren;
  readonly children: ComponentChildren;
}

interface BoundaryState {
  readonly of: string;
  readonly failure?: { readonly error: unknown } | undefined;
}

/**
 * An error that no boundary takes leaves Preact with components that count as being drawn for ever: they never answer again. So
 * everything that views, parts of plugins or data of the server may break stands within one.
 */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { of: this.props.of };

  static override getDerivedStateFromProps({ of }: BoundaryProps, state: BoundaryState): BoundaryState | null {
    return of === state.of ? null : { of, failure: undefined };
  }

  // Preact takes the error as handled only if the boundary itself has a new state.
  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ failure: { error } });
  }

  override render({ frame = message => message, children }: BoundaryProps, { failure }: BoundaryState) {
    if (!failure) return <>{children}</>;
    return <>{frame(<Failed error={failure.error} retry={() => this.setState({ failure: undefined })} />)}</>;
  }
}
