"""Records of deals and matches: their form, played again through the law, shown, and kept in files."""
