import type { ChatProviderModels } from "../../protocol/types";
import type { Conversation } from "../../state/chat.svelte";
import type { Preferences } from "../../state/settings.svelte";

/** A model, or what was typed as one. */
type Choice = { model: string; isTyped: boolean };
export type Group = { provider: ChatProviderModels; choices: Choice[] };

/** `provider:model`. */
const NAME = /^[a-z][\w-]{0,31}:\S+$/i;

/** The model that answers next in a conversation; empty where none was chosen. */
export function nextModel(conversation: Conversation, preferences: Preferences): string {
  return conversation.chosen ?? (conversation.model || (preferences.values?.chatModel ?? ""));
}

/** The models that have all the words, by who provides them. */
export function groupsOf(providers: ChatProviderModels[], sought: string): Group[] {
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean);
  return providers.flatMap((provider) => {
    const models = provider.models.filter((model) =>
      words.every((word) => model.toLowerCase().includes(word)),
    );
    const choices = models.map((model) => ({ model, isTyped: false }));
    return choices.length > 0 ? [{ provider, choices }] : [];
  });
}

/** The typed text, where it is a model that no list names. */
export function typedModel(providers: ChatProviderModels[], sought: string): string | undefined {
  const typed = sought.trim();
  const isKnown = providers.some(({ models }) => models.includes(typed));
  return NAME.test(typed) && !isKnown ? typed : undefined;
}
