/** How a branch stands to the default branch, and whether it can be changed directly: asked for as its row comes into sight. */
import { Icon, call, guards, useAsync, useGuards } from '@srv/lib-page/page';
import { fewAtATime } from '../../../src/model/few-at-a-time.js';

/** Commits that are counted; more are “99+”. */
const most = 99;

/** Commits never change: each pair is counted once. */
const known = new Map<string, readonly [number, number]>();
const mostKnown = 5000;

interface BranchStandingProps {
  readonly repository: string;
  readonly branch: string;
  readonly commit: string;
  /** The default branch. */
  readonly main: string;
  /** Its commit; `undefined` while it is not known. */
  readonly mainCommit: string | undefined;
}

export function BranchStanding({ repository, branch, commit, main, mainCommit }: BranchStandingProps) {
  const guarded = useGuards(repository, guards.value.length > 0 ? branch : undefined);
  return (
    <>
      {guarded && (
        <span class="badge" title={guarded.detail}>
          <Icon name="lock" /> <span class="wide-only">{guarded.badge}</span>
        </span>
      )}
      {mainCommit !== undefined && branch !== main && (
        <Distance repository={repository} branch={branch} commit={commit} main={main} mainCommit={mainCommit} />
      )}
    </>
  );
}

function Distance({ repository, branch, commit, main, mainCommit }: BranchStandingProps) {
  const key = `${repository} ${commit} ${mainCommit}`;
  const found = useAsync(
    async signal => {
      if (commit === mainCommit) return [0, 0] as const;
      const before = known.get(key);
      if (before) return before;
      const count = async (ref: string, exclude: string): Promise<number> =>
        (await call('logCommits', { repository, ref, exclude, amount: most + 1 }, { signal })).results.length;
      const distance = await fewAtATime(async () => [await count(branch, main), await count(main, branch)] as const, signal);
      if (known.size > mostKnown) known.clear();
      known.set(key, distance);
      return distance;
    },
    [key],
  );
  if (found.state !== 'ready') return null;
  const [ahead, lacking] = found.value;
  if (ahead === 0 && lacking === 0) return null;
  return (
    <span class="muted small nowrap wide-only" title={`Commits that ${main} lacks, and commits of ${main} that this branch lacks`}>
      {[ahead > 0 && `${shownCount(ahead)} ahead`, lacking > 0 && `${shownCount(lacking)} behind`].filter(Boolean).join(' · ')}
    </span>
  );
}

const shownCount = (count: number): string => (count > most ? `${most}+` : String(count));
