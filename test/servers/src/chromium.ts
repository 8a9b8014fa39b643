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

/**
 * A fresh browser with a profile of its own. The caller closes it.
 * Its pages run as many times slower as `SRV_TEST_CPU_THROTTLING` says.
 */
export async function startChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('Chromium is not installed');
  const browser = await spent('servers', () =>
    chromium.launch({
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
    }),
  );
  const rate = Number(process.env['SRV_TEST_CPU_THROTTLING'] ?? 1);
  if (rate > 1) browser.on('context', context => context.on('page', page => void slowDown(page, rate)));
  return browser;
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
