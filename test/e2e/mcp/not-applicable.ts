/**
 * Checks of the official conformance suite that do not apply to Cairn, and why. The suite targets example servers: most
 * of its scenarios call tools, prompts and resources with fixed names. Everything else must pass; a listed check that
 * passes fails the test.
 */

const TOOL = "It calls a tool of the suite's own, which no product has: ";
const NO_PROMPTS = "Cairn offers no prompts, and says so in its capabilities.";
const NO_RESOURCES = "Cairn offers no resources, and says so in its capabilities.";
const NO_COMPLETION = "Cairn completes no arguments, and says so in its capabilities.";
const NO_LOGGING = "Cairn sends no log messages, and says so in its capabilities.";
const NO_X_HEADERS = "No tool of Cairn asks for a header of its own (x-mcp-header).";
const STATELESS = "A warning only: Cairn keeps no session of the protocol, so there is no stream to resume.";

export interface Lane {
  readonly revision: string;
  /** a scenario, or `scenario:check` → why it fails, or warns */
  readonly fails: Readonly<Record<string, string>>;
}

const RESOURCES = [
  "resources-list",
  "resources-read-text",
  "resources-read-binary",
  "resources-templates-read",
];
const PROMPTS = [
  "prompts-list",
  "prompts-get-simple",
  "prompts-get-with-args",
  "prompts-get-embedded-resource",
  "prompts-get-with-image",
];
const all = (names: readonly string[], why: string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, why]));
const calls = (tools: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(tools).map(([scenario, tool]) => [scenario, `${TOOL}${tool}.`]));

const BOTH = {
  ...all(PROMPTS, NO_PROMPTS),
  ...all(RESOURCES, NO_RESOURCES),
  "completion-complete": NO_COMPLETION,
  ...calls({
    "tools-call-simple-text": "test_simple_text",
    "tools-call-image": "test_image_content",
    "tools-call-audio": "test_audio_content",
    "tools-call-embedded-resource": "test_embedded_resource",
    "tools-call-mixed-content": "test_multiple_content_types",
    "tools-call-error": "test_error_handling",
    "tools-call-with-progress": "test_tool_with_progress",
    "json-schema-2020-12": "json_schema_2020_12_tool",
  }),
};

export const LANES: readonly Lane[] = [
  {
    revision: "2026-07-28",
    fails: {
      ...BOTH,
      ...calls({
        "server-stateless:sep-2575-server-rejects-undeclared-capability": "test_missing_capability",
        "server-stateless:sep-2575-missing-capability-http-400": "test_missing_capability",
        "server-stateless:sep-2575-http-server-no-independent-requests-on-stream":
          "test_streaming_elicitation",
        "server-stateless:sep-2575-server-no-log-without-loglevel": "test_logging_tool",
        "input-required-result-basic-elicitation": "test_input_required_result_elicitation",
        "input-required-result-basic-sampling": "test_input_required_result_sampling",
        "input-required-result-basic-list-roots": "test_input_required_result_list_roots",
        "input-required-result-request-state": "test_input_required_result_request_state",
        "input-required-result-multiple-input-requests": "test_input_required_result_multiple_inputs",
        "input-required-result-multi-round": "test_input_required_result_multi_round",
        "input-required-result-result-type": "test_input_required_result_elicitation",
        "input-required-result-tampered-state": "test_input_required_result_tampered_state",
        "input-required-result-capability-check": "test_input_required_result_capabilities",
        "input-required-result-missing-input-response": "test_input_required_result_elicitation",
        "input-required-result-ignore-extra-params": "test_input_required_result_elicitation",
        "tasks-lifecycle": "slow_compute, failing_job",
        "tasks-capability-negotiation:sep-2663-server-rejects-undeclared-client": "slow_compute",
        "tasks-capability-negotiation:tasks-per-request-meta-opt-in": "slow_compute",
        "tasks-wire-fields": "slow_compute",
        "tasks-request-state-removal": "slow_compute",
        "tasks-mrtr-input": "confirm_delete, multi_input",
        "tasks-request-headers:tasks-headers-tolerate-mcp-method-on-tools-call": "greet",
        "tasks-request-headers:sep-2663-routing-headers-accepted-on-tasks-get": "slow_compute",
        "tasks-request-headers:sep-2663-server-rejects-mismatched-mcp-name-on-tasks-get": "slow_compute",
        "tasks-dispatch-and-envelope:tasks-server-directed-creation-no-hint": "failing_job",
        "tasks-dispatch-and-envelope:sep-2663-legacy-task-param-ignored": "greet",
        "tasks-dispatch-and-envelope:tasks-immediate-result-shortcut": "slow_compute",
        "tasks-dispatch-and-envelope:tasks-result-type-complete-on-non-task-responses": "greet",
        "tasks-dispatch-and-envelope:sep-2663-durable-create-strong-consistency": "slow_compute",
        "tasks-required-task-error": "failing_job",
        "tasks-mrtr-composition": "test_tool_with_task",
      }),
      "input-required-result-non-tool-request": NO_PROMPTS,
      "sep-2164-resource-not-found": NO_RESOURCES,
      "caching:sep-2549-prompts-list-caching-hints": NO_PROMPTS,
      "caching:sep-2549-resources-list-caching-hints": NO_RESOURCES,
      "caching:sep-2549-resources-templates-list-caching-hints": NO_RESOURCES,
      "http-custom-header-server-validation": NO_X_HEADERS,
    },
  },
  {
    revision: "2025-11-25",
    fails: {
      ...BOTH,
      ...all(["resources-subscribe", "resources-unsubscribe"], NO_RESOURCES),
      "logging-set-level": NO_LOGGING,
      "server-sse-multiple-streams": STATELESS,
      "server-sse-polling": STATELESS,
      ...calls({
        "tools-call-with-logging": "test_tool_with_logging",
        "tools-call-sampling": "test_sampling",
        "tools-call-elicitation": "test_elicitation",
        "elicitation-sep1034-defaults": "test_elicitation_sep1034_defaults",
        "elicitation-sep1330-enums": "test_elicitation_sep1330_enums",
      }),
    },
  },
];

const FAILED_RUN = "A run that failed is a failed task: nothing has come of it that a result could hold.";
const ONE_AT_A_TIME = "A run asks for one thing at a time.";
const RECEIPT_FIRST =
  "It compares the first text of the result, and the receipt of a run stands before its answer.";

/** Task scenarios, tried with runs in place of the suite's tools (stand-in.ts): checks that still fail, and why. */
export const WORKED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "tasks-lifecycle": { "tasks-lifecycle:sep-2663-tool-error-uses-completed-status": FAILED_RUN },
  "tasks-capability-negotiation": {},
  "tasks-wire-fields": {},
  "tasks-request-state-removal": {},
  "tasks-mrtr-input": { "tasks-mrtr-input:tasks-mrtr-partial-fulfillment": ONE_AT_A_TIME },
  "tasks-request-headers": {
    "tasks-request-headers:tasks-headers-tolerate-mcp-method-on-tools-call": RECEIPT_FIRST,
  },
  "tasks-dispatch-and-envelope": {},
  // tasks-required-task-error and tasks-mrtr-composition are left out: no tool here demands tasks, or asks before it begins one.
};
