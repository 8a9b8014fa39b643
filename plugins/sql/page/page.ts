/** What this part uses of the page. */
import type * as Preact from 'preact';
import type * as Hooks from 'preact/hooks';
import type { ComponentChildren, ComponentType, VNode } from 'preact';

/** An object that the page shows. */
export interface ShownObject {
  readonly repository: string;
  readonly ref: string;
  readonly path: string;
  readonly contentType: string;
  readonly size: number;
  readonly url: string;
}

type Input = Readonly<Record<string, unknown>>;

interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface Page {
  readonly h: typeof Preact.h;
  readonly hooks: typeof Hooks;
  viewer(viewer: {
    readonly id: string;
    readonly title: string;
    readonly fits: (object: ShownObject) => number;
    readonly render: (object: ShownObject) => VNode;
  }): void;
  page(page: { readonly id: string; readonly title: string; readonly render: () => VNode }): void;
  later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P>;
  call(operationId: string, input: Input, options?: CallOptions): Promise<unknown>;
  send(operationId: string, input: Input, options?: CallOptions & { readonly headers?: Record<string, string> }): Promise<Response>;
  assetUrl(name: string): string;
  startWorker(name: string): Worker;
  onPersonChange(forget: () => void): void;
  notify(text: string): void;
  readonly parts: {
    readonly Alert: ComponentType<{ readonly children: ComponentChildren; readonly kind?: 'note' }>;
    readonly Button: ComponentType<{
      readonly children: ComponentChildren;
      readonly icon?: string;
      readonly kind?: 'primary' | 'plain';
      readonly off?: string | false;
      readonly onClick: () => void;
    }>;
    readonly Loading: ComponentType<{ readonly rows?: number }>;
    readonly DataTable: ComponentType<{
      readonly columns: readonly { readonly name: string; readonly type?: string }[];
      readonly rows: readonly (readonly unknown[])[];
      readonly whole: boolean;
      readonly total?: number;
    }>;
    readonly Content: ComponentType<{ readonly object: ShownObject; readonly without: string }>;
  };
  readonly format: { readonly size: (bytes: number) => string };
}
