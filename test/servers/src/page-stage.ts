/** A server with the page and a browser in front of it, shared by the tests of a file. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { accessibilityViolations, startChromium } from './chromium.js';
import { eventually } from './eventually.js';
import { startSrv } from './srv-kernel.js';
import type { Browser, Page } from './chromium.js';
import type { RunningSrv, SrvOptions } from './srv-kernel.js';

/** `C`: a client of the API. */
export interface PageStage<C> {
  readonly srv: RunningSrv;
  readonly browser: Browser;
  readonly client: C;
  /** Logged in as the administrator. */
  readonly page: Page;
  /** Opens a view and waits until it is settled. @param path below the root. */
  open(path: string): Promise<void>;
  /** Waits until nothing is loaded any more. */
  settled(): Promise<void>;
  /** Fails when the view breaks a rule of accessibility, is wider than the window, or the browser complained. */
  check(name: string): Promise<void>;
  /** Takes expected messages away, such as that of the browser about an answer 404. */
  complaintsAbout(pattern: RegExp): void;
  close(): Promise<void>;
}

/** Milliseconds an element may take to appear on a busy machine. */
const timeoutMs = 60_000;

/** @param connect makes a client of the administrator's. */
export async function setPageStage<C extends { close(): void }>(
  options: SrvOptions,
  connect: (srv: RunningSrv) => C,
): Promise<PageStage<C>> {
  const srv = await startSrv({ ...options, plugins: ['ui', ...(options.plugins ?? [])] });
  const closers: (() => Promise<void>)[] = [() => srv.stop()];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const browser = await startChromium();
    closers.push(() => browser.close());
    return await onStage({ srv, browser, client: connect(srv), close });
  } catch (error) {
    // Only here: what is left running keeps the tests from ending.
    await close();
    throw error;
  }
}

type Cast<C> = Pick<PageStage<C>, 'srv' | 'browser' | 'client' | 'close'>;

async function onStage<C extends { close(): void }>({ srv, browser, client, close }: Cast<C>): Promise<PageStage<C>> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(timeoutMs);
  const page = await context.newPage();
  const complaints = listen(page);
  await logIn(page, srv);
  const settled = async (): Promise<void> => {
    await page.locator('main').waitFor();
    await page.locator('.skeleton, .spin, main[aria-busy]').first().waitFor({ state: 'detached' });
    await page.waitForLoadState('networkidle');
    await page.locator('.skeleton, .spin').first().waitFor({ state: 'detached' });
  };
  return {
    srv,
    browser,
    client,
    page,
    settled,
    async open(path) {
      await page.goto(`${srv.url}/${path}`);
      await settled();
    },
    async check(name) {
      await settled();
      for (const [colorScheme, width] of looks) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        await picture(page, `${name}-${colorScheme}-${width}`);
        // What has been scrolled below the bar, which stays, is covered by it in part: that is not a fault of the view.
        const y = Number(await page.evaluate('scrollY'));
        await page.evaluate('scrollTo({ top: 0, behavior: "instant" })');
        await eventually(() => accessibilityViolations(page), [], `${name}, ${colorScheme}, ${width} px`);
        await page.evaluate(`scrollTo({ top: ${y}, behavior: "instant" })`);
        await eventually(
          () => page.evaluate('document.documentElement.scrollWidth > innerWidth'),
          false,
          `${name} is wider than ${width} px`,
        );
      }
      if (process.env['SRV_TEST_SCREENSHOTS'] !== undefined) {
        await page.setViewportSize({ width: 2560, height: 1200 });
        await picture(page, `${name}-dark-2560`);
      }
      await page.setViewportSize({ width: 1280, height: 800 });
      assert.deepEqual(complaints.splice(0), [], name);
    },
    complaintsAbout(pattern) {
      const others = complaints.splice(0).filter(text => !pattern.test(text));
      complaints.push(...others);
    },
    async close() {
      client.close();
      await close();
    },
  };
}

const looks = [
  ['light', 360],
  ['dark', 1280],
] as const;

export async function logIn(page: Page, { url, key }: Pick<RunningSrv, 'url' | 'key'>): Promise<void> {
  await page.goto(`${url}/repositories`);
  // The labels depend on what the server accepts.
  await page.locator('input[name=username]').fill(key.accessKeyId);
  await page.locator('input[name=password]').fill(key.secretAccessKey);
  await page.getByRole('button', { name: 'Login' }).click();
  await page.getByRole('heading', { name: 'Repositories', exact: true }).waitFor();
}

/**
 * For servers whose users have groups.
 * @param reads what a new user of the group Viewers may do in addition.
 * @returns a page of that user; its context is the caller's to close.
 */
export async function viewerPage(
  { srv, browser }: Pick<PageStage<unknown>, 'srv' | 'browser'>,
  name: string,
  reads: readonly string[] = [],
): Promise<Page> {
  const asAdministrator = async (method: string, path: string, body?: object): Promise<Record<string, string>> => {
    const authorization = `Basic ${btoa(`${srv.key.accessKeyId}:${srv.key.secretAccessKey}`)}`;
    const response = await fetch(`${srv.url}/api/v1/auth/${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    assert.ok(response.ok, text);
    return text === '' ? {} : (JSON.parse(text) as Record<string, string>);
  };
  await asAdministrator('POST', 'users', { id: name });
  await asAdministrator('PUT', `groups/Viewers/members/${name}`);
  if (reads.length > 0) {
    const policy = `${name}-reads`;
    await asAdministrator('POST', 'policies', { id: policy, statement: [{ effect: 'allow', action: reads, resource: '*' }] });
    await asAdministrator('PUT', `users/${name}/policies/${policy}`);
  }
  const { access_key_id: accessKeyId = '', secret_access_key: secretAccessKey = '' } = await asAdministrator(
    'POST',
    `users/${name}/credentials`,
  );
  const page = await (await browser.newContext()).newPage();
  await logIn(page, { url: srv.url, key: { accessKeyId, secretAccessKey } });
  return page;
}

/** @returns once a button is off because the user may not do something. @param action such as `fs:CreateCommit`. */
export async function isDenied(page: Page, button: string | RegExp, action: string): Promise<void> {
  const reason = `insufficient permissions: not allowed to ${action}`;
  await page
    .getByRole('button', { name: button })
    .and(page.locator(`[aria-disabled="true"][title^="${reason}"]`))
    .first()
    .waitFor();
}

/** What the browser complains about: errors of scripts, and whatever the policy of the page stopped. */
export function listen(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', error => complaints.push(error.message));
  page.on('console', message => {
    // The answer "you may not" to a page that asks is an error to browsers.
    const asksForRights = message.location().url.includes('/user/permission?');
    if (!asksForRights && (message.type() === 'error' || message.type() === 'warning')) complaints.push(message.text());
  });
  return complaints;
}

/** Pictures for people, where `SRV_TEST_SCREENSHOTS` names a folder. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['SRV_TEST_SCREENSHOTS'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
