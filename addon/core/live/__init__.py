"""The live scene: tables that follow an edited scene record by record, and what is told about them. Pure: numpy only."""
