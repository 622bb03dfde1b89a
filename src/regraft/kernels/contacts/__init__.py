"""Contacts: where two shapes meet, and how the place where they do moves."""
