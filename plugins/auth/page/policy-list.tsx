/** Policies of a user or a group. */
import { ask, to, useDenial } from '@srv/lib-page/page';
import { attaching } from './attach.js';
import { NamedList } from './named-list.js';
import type { Policy } from './shapes.js';

interface PolicyListProps {
  readonly title: string;
  /** Part of the names of operations. */
  readonly of: 'User' | 'Group';
  /** The user or the group, as policies name it. */
  readonly resource: string;
  /** What names the user or the group, and what else is asked for; one object as long as it is the same. */
  readonly input: Readonly<Record<string, string | boolean>>;
  /** Whether they are its own: those of groups cannot be changed here. */
  readonly own?: boolean;
}

export function PolicyList({ title, of, resource, input, own = false }: PolicyListProps) {
  const mayNotAttach = useDenial('auth:AttachPolicy', resource);
  const mayNotDetach = useDenial('auth:DetachPolicy', resource);
  return (
    <NamedList<Policy>
      title={title}
      noun="policy"
      many="policies"
      icon="lock"
      operationId={`list${of}Policies`}
      input={input}
      hrefOf={({ id: policy }) => to('auth', 'policies', policy)}
      {...(own
        ? {
            remove: {
              word: 'Detach',
              off: mayNotDetach,
              act: (policy: string) => ask(`detachPolicyFrom${of}`, { ...input, policyId: policy }),
            },
            create: attaching('Attach policies', mayNotAttach, 'listPolicies', policy =>
              ask(`attachPolicyTo${of}`, { ...input, policyId: policy }),
            ),
          }
        : {})}
    />
  );
}
