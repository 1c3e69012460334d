-- The reason for which a host has refused an edit, with its name and parameters as JSON, so that it is shown in the reader's
-- language.

ALTER TABLE sending ADD COLUMN problem_text TEXT;
