/** What was asked for, kept with an import so that a server can resume what another one began. */

import { SrvError } from '@srv/kernel';
import joi from 'joi';
import type { ImportRequest } from '../contract.js';

export interface ImportOrder {
  readonly branch: string;
  readonly request: ImportRequest;
  /** The server that works on it, under a new name for each run. */
  readonly run: string;
  /** How often servers resumed it. Absent: never. */
  readonly restarts?: number;
  /** Date of its commit, once that is about to be made. */
  readonly commitDate?: Date;
}

const text = joi.string().allow('');
const schema = joi.object({
  branch: text.required(),
  run: text.required(),
  restarts: joi.number().integer().min(0),
  commitDate: joi.date().iso(),
  request: joi
    .object({
      paths: joi
        .array()
        .items(
          joi.object({
            type: joi.valid('common_prefix', 'object').required(),
            path: text.required(),
            destination: text.required(),
          }),
        )
        .required(),
      committer: text.required(),
      message: text,
      metadata: joi.object().pattern(joi.any(), text),
      force: joi.boolean(),
      user: text,
    })
    .required(),
});

export function encodeOrder(order: ImportOrder): string {
  return JSON.stringify(order);
}

/** @throws SrvError `corrupt`. */
export function decodeOrder(stored: string): ImportOrder {
  try {
    return joi.attempt(JSON.parse(stored), schema, { stripUnknown: true }) as ImportOrder;
  } catch (error) {
    throw new SrvError('corrupt', 'import record: what was asked for cannot be read', { cause: error });
  }
}
