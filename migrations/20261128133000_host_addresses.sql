-- Hosts that are reached at an address in the place of a command.
ALTER TABLE hosts ADD COLUMN address TEXT;
