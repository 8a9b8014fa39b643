/** Lists of users, groups and policies say 0 where others say how many fit a page. */
import { presentPage } from '@srv/lib-api';
import type { AuthPage } from '../pages.js';

export function authPage<T, R>(page: AuthPage<T>, present: (item: T) => R) {
  return presentPage(page, present, 0);
}
