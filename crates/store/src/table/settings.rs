//! The table `settings`: the user's settings, each as JSON under its key.

use crate::{Result, Store, Transaction};

impl Store {
    /// Returns keys and JSON values.
    pub async fn settings(&self) -> Result<Vec<(String, String)>> {
        Ok(sqlx::query_as("SELECT key, value FROM settings").fetch_all(&self.readers).await?)
    }
}

impl Transaction<'_> {
    /// Saves a setting as JSON.
    pub async fn save_setting(&mut self, key: &str, value: &str, cursor: u64) -> Result<()> {
        self.touch();
        self.put(
            "INSERT INTO settings (key, value, cursor) VALUES (?, ?, ?) \
             ON CONFLICT (key) DO UPDATE SET value = excluded.value, cursor = excluded.cursor",
        )
        .await?
        .bind(key)
        .bind(value)
        .bind(cursor.cast_signed());
        Ok(())
    }
}
