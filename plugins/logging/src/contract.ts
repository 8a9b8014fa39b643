/** What logging offers in addition to the kernel's `log` service. */
import type { LogFields } from '@srv/kernel';

/** @param describe called when the line is written: most installations write none for requests. */
export type AuditLog = (describe: () => LogFields, message: string) => void;

declare module '@srv/kernel' {
  interface Services {
    /** Writes one line per request at `logging.audit_log_level`, marked `log_audit: true`. */
    audit: AuditLog;
  }
}
