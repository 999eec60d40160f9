import { Icon } from "../../parts/icon.tsx";
import { channelName, chatLabel } from "../../parts/channel-words.ts";
import { useChats } from "../../parts/chats.ts";

/** Places that take no messages any more, and what opens them again. */
export function BlockedChats() {
  const places = useChats();
  const shut = places.filter(({ blocked }) => blocked);
  if (shut.length === 0) return null;
  return (
    <ul className="preferences-blocked">
      {shut.map(({ id, channel }) => (
        <li key={id}>
          <Icon name="warn" />
          <span>
            <strong dir="auto">{chatLabel(id, places)}</strong> no longer accepts messages from Cairn. Your
            answers are on this page. To receive them there again, write to it on {channelName(channel)}.
          </span>
        </li>
      ))}
    </ul>
  );
}
