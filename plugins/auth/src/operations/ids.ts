/** Names in the paths of operations: each must be given. */
import { text } from '@srv/lib-api';

const given = (what: string) => text({ filled: true, problem: `${what} id: required value: validation error` });

export const userId = given('user');
export const groupId = given('group');
export const policyId = given('policy');
export const accessKeyId = given('access key');
