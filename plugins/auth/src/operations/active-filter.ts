/** Users of a page that are active, or that are not. */
import { flag, optional, paging } from '@srv/lib-api';
import type { User } from '@srv/kernel';
import type { AuthPage } from '../contract.js';

export const userPaging = { ...paging, active: optional(flag()) };

/** Pages become shorter by it. @param active absent: all users. */
export function onlyActive(page: AuthPage<User>, active: boolean | undefined): AuthPage<User> {
  return active === undefined ? page : { ...page, results: page.results.filter(({ inactive }) => active === (inactive !== true)) };
}
