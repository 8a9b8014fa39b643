/** What logging offers besides the kernel's `log` service. */
import type { LogMethod } from '@srv/kernel';

declare module '@srv/kernel' {
  interface Services {
    /** Writes one line per request at `logging.audit_log_level`, marked `log_audit: true`. */
    audit: LogMethod;
  }
}
