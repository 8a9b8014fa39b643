/** A refusal by the server. */

interface ApiErrorFacts {
  readonly status: number;
  readonly statusText: string;
  /** The server's own words; the status text when it had none. */
  readonly message: string;
  readonly operationId: string;
  readonly method: string;
  /** Without credentials; those never travel in URLs. */
  readonly url: string;
  /** Names the request in the server's log. */
  readonly requestId?: string | undefined;
  /** Decoded body, when it was JSON. */
  readonly body?: unknown;
  /** How often the request was sent. */
  readonly attempts: number;
}

export class ApiError extends Error implements ApiErrorFacts {
  readonly status: number;
  readonly statusText: string;
  readonly operationId: string;
  readonly method: string;
  readonly url: string;
  readonly requestId?: string;
  readonly body: unknown;
  readonly attempts: number;

  constructor(facts: ApiErrorFacts) {
    super(facts.message);
    this.name = 'ApiError';
    this.status = facts.status;
    this.statusText = facts.statusText;
    this.operationId = facts.operationId;
    this.method = facts.method;
    this.url = facts.url;
    this.body = facts.body;
    this.attempts = facts.attempts;
    if (facts.requestId !== undefined) this.requestId = facts.requestId;
  }
}
