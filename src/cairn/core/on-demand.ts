/** A module that is loaded when it is first needed. */
export interface OnDemand<Module> {
  /** null until it is loaded */
  readonly loaded: Module | null;
  /** Rejects where it cannot be loaded; the next call tries again. */
  load(): Promise<Module>;
}

/** Loads a module at the first call, and remembers it. */
export function onDemand<Module>(load: () => Promise<Module>): OnDemand<Module> {
  let loaded: Module | null = null;
  let loading: Promise<Module> | null = null;
  const start = async (): Promise<Module> => {
    try {
      return (loaded = await load());
    } finally {
      loading = null;
    }
  };
  return {
    get loaded() {
      return loaded;
    },
    load: async () => loaded ?? (loading ??= start()),
  };
}

/** A module that is loaded together with another. */
export const loadedWith = <Module>(module: OnDemand<Module>, other: OnDemand<unknown>): OnDemand<Module> => ({
  get loaded() {
    return other.loaded === null ? null : module.loaded;
  },
  load: async () => (await Promise.all([module.load(), other.load()]))[0],
});

/** A module that is there from the beginning: in Node, where all code is one program. */
export const present = <Module>(loaded: Module): OnDemand<Module> => ({
  loaded,
  load: () => Promise.resolve(loaded),
});
