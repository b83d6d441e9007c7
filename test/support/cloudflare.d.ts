/// <reference types="@cloudflare/vitest-plugin/types" />

declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import('cloudflare:test').D1Migration[]
    /** Repeats the drawn worlds of a test run; empty for new ones. */
    VISIBILITY_SEED: string
    /** In how many drawn worlds searches are compared with an evaluator; empty for two. */
    SEARCH_WORLDS: string
  }
}
