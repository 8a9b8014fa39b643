/** What viewers of the page and of page parts get. */

/** An object to be shown. */
export interface ShownObject {
  readonly repository: string;
  readonly ref: string;
  readonly path: string;
  readonly contentType: string;
  readonly size: number;
  /** Address of its bytes. */
  readonly url: string;
}
