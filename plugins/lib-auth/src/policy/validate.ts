/** What a policy must look like to be stored. */
import { Networks, SrvError, messageOf } from '@srv/kernel';
import { operatorNames } from './conditions.js';
import { resourcePatterns } from './resources.js';
import { isPattern, maxPatternLength } from './wildcard.js';
import type { Statement } from './model.js';

const services = ['fs', 'auth', 'ci', 'retention', 'branches', 'pr', 'catalog'];

/** @throws SrvError `invalid` that names the first unacceptable part. */
export function checkStatements(statements: readonly Statement[]): void {
  if (statements.length === 0) throw new SrvError('invalid', 'a policy needs at least one statement: validation error');
  for (const statement of statements) {
    if (statement.effect !== 'allow' && statement.effect !== 'deny') {
      throw new SrvError('invalid', `validation error: effect '${String(statement.effect)}' is neither allow nor deny`);
    }
    if (statement.action.length === 0) throw new SrvError('invalid', 'a statement needs at least one action: invalid action');
    statement.action.forEach(checkAction);
    checkResource(statement.resource);
    for (const [operator, fields] of Object.entries(statement.condition ?? {})) checkCondition(operator, fields);
  }
}

function checkAction(action: string): void {
  checkLength('action', action);
  const [service, name, ...more] = action.split(':');
  if (service === undefined || name === undefined || name === '' || more.length > 0) {
    throw new SrvError('invalid', `${action}: must be <service>:<name>, such as fs:ReadObject: invalid action`);
  }
  if (!services.includes(service)) throw new SrvError('invalid', `${service}: must be one of ${services.join(', ')}: invalid service name`);
}

function checkResource(resource: string): void {
  let patterns: readonly string[];
  try {
    patterns = resourcePatterns(resource);
  } catch (error) {
    throw new SrvError('invalid', `validation error: resource list '${resource}': ${messageOf(error)}`);
  }
  for (const pattern of patterns) {
    checkLength('ARN', pattern);
    if (pattern !== '*' && !/^arn:lakefs:[^:]+:[^:]*:[^:]*:[\s\S]+$/.test(pattern)) {
      throw new SrvError('invalid', `validation error: ARN '${pattern}' must be * or arn:lakefs:<service>:::<resource>`);
    }
  }
}

function checkCondition(operator: string, fields: Readonly<Record<string, readonly string[]>>): void {
  if (!operatorNames.includes(operator)) {
    throw new SrvError('invalid', `validation error: condition operator '${operator}' is not one of ${operatorNames.join(', ')}`);
  }
  if (!operator.endsWith('IpAddress')) {
    for (const value of Object.values(fields).flat()) checkLength(`condition ${operator}`, value);
    return;
  }
  for (const value of Object.values(fields).flat()) {
    try {
      new Networks([value]);
    } catch (error) {
      throw new SrvError('invalid', `validation error: condition ${operator}: ${messageOf(error)}`);
    }
  }
}

function checkLength(what: string, pattern: string): void {
  if (isPattern(pattern)) return;
  const shown = JSON.stringify(`${pattern.slice(0, 50)}…`);
  throw new SrvError('invalid', `validation error: ${what} ${shown} is ${pattern.length} characters long: at most ${maxPatternLength}`);
}
