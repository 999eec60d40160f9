import { expect, test } from "vitest";
import { ChannelFault } from "../../../src/plugins/channels/channel.ts";
import { readRequest, REQUEST_BYTES_MAX } from "../../../src/plugins/channels/request.ts";
import { dropUnread, readBody } from "../../../src/cairn/http/kit/parse.ts";

/** A request that tells no length: ten pieces, of which the first is more than any reader takes. */
function longRequest(firstBytes: number) {
  const was = { pieces: 0, isRead: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        was.isRead = was.pieces === 10;
        if (was.isRead) controller.close();
        else controller.enqueue(new Uint8Array(was.pieces++ === 0 ? firstBytes : 1));
      },
    },
    { highWaterMark: 0 },
  );
  // Node wants `duplex` for a body that streams; the types of the platform do not know it.
  const init = { method: "POST", body, duplex: "half" };
  return { request: new Request("https://cairn.example/", init), was };
}

test("the rest of a body that is too large is read after the refusal, at the API and at a channel", async () => {
  const atApi = longRequest(11);
  expect(await readBody(atApi.request, 10)).toMatchObject({ ok: false, error: { status: 413 } });
  const atChannel = longRequest(REQUEST_BYTES_MAX + 1);
  await expect(readRequest(atChannel.request)).rejects.toBeInstanceOf(ChannelFault);
  expect([atApi.was, atChannel.was]).toEqual([
    { pieces: 1, isRead: false },
    { pieces: 1, isRead: false },
  ]);
  await dropUnread(atApi.request);
  await dropUnread(atChannel.request);
  expect([atApi.was, atChannel.was]).toEqual([
    { pieces: 10, isRead: true },
    { pieces: 10, isRead: true },
  ]);
});
