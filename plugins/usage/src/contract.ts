/** Usage reports, for other plugins. */
import type {} from '@srv/kernel';

/** Requests of one calendar month, UTC. */
export interface MonthlyUsage {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly count: number;
}

export interface UsageService {
  /** Oldest month first, with what this server has counted up to now. @throws SrvError `not_found` without an installation id. */
  summary(): Promise<{ readonly installationId: string; readonly reports: readonly MonthlyUsage[] }>;
}

declare module '@srv/kernel' {
  interface Services {
    /** Absent while `usage_report.enabled` is false. */
    usage: UsageService;
  }
}
