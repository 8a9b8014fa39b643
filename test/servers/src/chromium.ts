/** Debian's Chromium, driven by Playwright. Tests skip where it is not installed. */
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spent } from '@srv/kernel/testing';
import { chromium } from 'playwright-core';
import { packageFile } from './packages.js';
import type { Browser, Page } from 'playwright-core';

export type { Browser, BrowserContext, Locator, Page } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** The program, or `undefined` if it is not installed. `SRV_TEST_CHROMIUM` names another one. */
function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const given = env['SRV_TEST_CHROMIUM'];
  const places = given ? [given] : (env['PATH'] ?? '').split(delimiter).flatMap(folder => names.map(name => join(folder, name)));
  return places.find(place => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** For the option `skip` of a test. */
export const needsChromium: string | false = findChromium() === undefined && 'needs Chromium';

/** Set by the test runner: where the browser is that the files of a run share. */
export const sharedBrowserVariable = 'SRV_TEST_BROWSER';

const options = () => {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('Chromium is not installed');
  return {
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  };
};

interface ChromiumOptions {
  /** A browser of its own: for what concerns all pages of a browser, such as a trace. Default: false. */
  readonly own?: boolean;
}

/**
 * A browser, which the files of a run share: their contexts have nothing in common. The caller closes it.
 * Its pages run as many times slower as `SRV_TEST_CPU_THROTTLING` says.
 */
export async function startChromium({ own = false }: ChromiumOptions = {}): Promise<Browser> {
  const shared = own ? undefined : process.env[sharedBrowserVariable];
  const browser = await spent('servers', () => (shared === undefined ? chromium.launch(options()) : chromium.connect(shared)));
  const rate = Number(process.env['SRV_TEST_CPU_THROTTLING'] ?? 1);
  if (rate > 1) browser.on('context', context => context.on('page', page => void slowDown(page, rate)));
  return browser;
}

/** The browser that the files of a run share. @returns where it is, and what ends it. */
export async function openSharedChromium(): Promise<{ readonly endpoint: string; close(): Promise<void> }> {
  const server = await chromium.launchServer({ ...options(), host: '127.0.0.1' });
  return { endpoint: server.wsEndpoint(), close: () => server.close() };
}

/** Finds tests that read a page before it is done: where everything is slow, it is seldom done at once. */
async function slowDown(page: Page, rate: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate });
}

interface Axe {
  run(options: object): Promise<{ violations: readonly { id: string; nodes: readonly { html: string; failureSummary: string }[] }[] }>;
}

/** Rules of WCAG 2.2 AA that the page breaks, each with the elements that break it. */
export async function accessibilityViolations(page: Page): Promise<readonly string[]> {
  const axe = readFileSync(fileURLToPath(packageFile('axe-core/axe.min.js')), 'utf8');
  // Through the debugger, which no policy of the page stops.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const checker = (globalThis as { axe?: Axe }).axe;
    if (!checker) return ['axe-core did not load'];
    const { violations } = await checker.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] });
    return violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map(({ html, failureSummary }) => `${html.slice(0, 200)} — ${failureSummary.replace(/\s+/g, ' ').slice(0, 240)}`)
          .join(' | ')}`,
    );
  });
}
