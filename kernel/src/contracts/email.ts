export interface EmailMessage {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** Path of the page that the message is about: its address, as users reach the server, is added to the text. */
  readonly page?: string;
}
