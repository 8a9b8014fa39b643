/** Properties of an Airflow hook (actions sheet, section 7), with the messages that clients know. */

import { asProperties, durationOf, missing, requireHttp } from '@srv/lib-api/hook-types';
import type { HookProperties } from '@srv/lib-api/hook-types';

export interface AirflowProperties {
  readonly url: string;
  readonly dagId: string;
  readonly username: string;
  /** Environment variables are not filled in yet. */
  readonly password: string;
  readonly dagConf: Readonly<Record<string, unknown>>;
  /** Milliseconds of waiting for the DAG. */
  readonly timeout: number;
  readonly waitForDag: boolean;
}

const usualTimeout = 60_000;
/** In the order in which they are looked for. */
const needed = [
  { key: 'url', what: 'url' },
  { key: 'dag_id', what: 'DAG ID' },
  { key: 'username', what: 'username' },
  { key: 'password', what: 'password' },
] as const;

export const airflowProperties: HookProperties<AirflowProperties> = {
  validate(given) {
    try {
      return { value: read(asProperties(given)) };
    } catch (error) {
      return { error: error as Error };
    }
  },
};

function read(properties: Readonly<Record<string, unknown>>): AirflowProperties {
  for (const { key } of needed) if (properties[key] === undefined || properties[key] === null) throw new Error(missing(key));
  const [url = '', dagId = '', username = '', password = ''] = needed.map(({ key, what }) => {
    const value = properties[key];
    const hook = `airflow hook ${what} property`;
    if (typeof value !== 'string') throw new Error(`${hook}: value of ${key} is not of type string: wrong value type`);
    if (value === '') throw new Error(`${hook}: value of ${key} is empty: missing key in properties`);
    return value;
  });
  requireHttp(url);
  const { dag_conf: conf, timeout, wait_for_dag: waitForDag } = properties;
  if (conf !== undefined && conf !== null && (typeof conf !== 'object' || Array.isArray(conf)))
    throw new Error('airflow hook conf is not of type Properties: wrong value type');
  const milliseconds = durationOf(timeout, usualTimeout);
  if (milliseconds === undefined)
    throw new Error(`airflow hook timeout: ${JSON.stringify(timeout)} is not a duration such as 30s or 1m30s`);
  return { url, dagId, username, password, dagConf: asProperties(conf), timeout: milliseconds, waitForDag: waitForDag === true };
}
