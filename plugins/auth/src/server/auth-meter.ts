/** Times what is asked of authentication and authorization. */
import type { Family, Histogram, Metrics } from '@srv/kernel/metrics';
import type { AuthService } from '../contract.js';

/** Seconds; most answers come from caches. */
const buckets = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

interface Outcomes {
  readonly success: Histogram;
  readonly failure: Histogram;
}

export class AuthMeter {
  readonly #durations: Family<Histogram>;
  readonly #outcomes = new Map<string, Outcomes>();

  constructor(metrics: Metrics) {
    this.#durations = metrics.histogram({
      name: 'auth_request_duration_seconds',
      help: 'Time of requests to authentication and authorization; failure: they ended with an error',
      labels: ['operation', 'success'],
      buckets,
    });
  }

  /** @param operation name of the method, never anything a caller sent. */
  async run<T>(operation: string, work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    let outcome: keyof Outcomes = 'failure';
    try {
      const answer = await work();
      outcome = 'success';
      return answer;
    } finally {
      this.#of(operation)[outcome].observe((performance.now() - began) / 1000);
    }
  }

  /** `service` with every asynchronous method timed under its own name. */
  measured(service: AuthService): AuthService {
    const members = Object.entries(service).map(([name, member]: [string, unknown]) => {
      if (typeof member !== 'function') return [name, member];
      return [
        name,
        (...given: unknown[]): unknown => {
          const answer: unknown = member.apply(service, given);
          return answer instanceof Promise ? this.run(name, () => answer) : answer;
        },
      ];
    });
    return Object.fromEntries(members) as AuthService;
  }

  #of(operation: string): Outcomes {
    let found = this.#outcomes.get(operation);
    if (!found) {
      found = { success: this.#durations.labels(operation, 'success'), failure: this.#durations.labels(operation, 'failure') };
      this.#outcomes.set(operation, found);
    }
    return found;
  }
}
