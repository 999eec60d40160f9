/**
 * Stands in for `@ai-sdk/gateway` in the bundle. The AI SDK reaches for it when a model is named by a bare string, which
 * Cairn never does; the real package would be a tenth of the worker.
 */
class NeverThrown extends Error {
  static isInstance(_error: unknown): boolean {
    return false;
  }
}

export class GatewayError extends NeverThrown {}
export class GatewayAuthenticationError extends NeverThrown {}

function refuse(): never {
  throw new Error(
    "a model must be named as workers-ai:, openai-compatible:, gateway: or rehearsal:, never by a bare string",
  );
}

export const createGateway = refuse;
export const gateway = refuse;
